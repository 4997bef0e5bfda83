/** A function that is made when it is first called: a start makes no readers and descriptions that nobody may ask for. */
export function onFirstCall<Parts extends readonly unknown[], Result>(
  make: () => (...parts: Parts) => Result,
): (...parts: Parts) => Result {
  let made: ((...parts: Parts) => Result) | undefined;
  return (...parts) => {
    made ??= make();
    return made(...parts);
  };
}
