/** The most causes that are read. A chain of causes may be circular. */
const MAX_CAUSES = 8;

/** Returns the stacks of an error and its causes. */
export function stackOf(error: unknown, causes = MAX_CAUSES): string {
  const { stack, cause, errors } = Object(error) as Partial<AggregateError>;
  const inner = [errors ?? [], cause ?? []].flat().slice(0, causes);
  return [String(stack ?? error), ...inner.map((each) => `caused by ${stackOf(each, causes - 1)}`)].join('\n');
}
