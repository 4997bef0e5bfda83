/** Returns the result of some work; undefined if it takes longer. The work itself goes on. */
export function resultWithin<T>(milliseconds: number, work: Promise<T>): Promise<T | undefined> {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(resolve, milliseconds, undefined).unref();
    work.then(resolve, reject).finally(() => clearTimeout(timer));
  });
}
