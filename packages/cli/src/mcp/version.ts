/** The version that this program tells its host; a test holds it to package.json. */
export const VERSION = '0.1.0';
