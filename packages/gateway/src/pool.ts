import './native-fetch.ts';

export { Pool } from 'undici';
