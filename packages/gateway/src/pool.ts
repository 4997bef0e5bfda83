import './native-fetch.ts';

export { Pool, util } from 'undici';
