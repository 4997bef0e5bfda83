import fc from 'fast-check';

/** A short run tries each property with the same samples every time. A full run tries others. */
fc.configureGlobal({ seed: 1 });
