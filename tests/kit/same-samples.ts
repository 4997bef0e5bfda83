import fc from 'fast-check';

/** In a short run each property is tried with the same samples every time; in a full one with others. */
fc.configureGlobal({ seed: 1 });
