/** Something has not happened in the time that it was given. */
export class Late extends Error {}

/** Rejects as late, in these words, when a task has not ended in time. The task itself goes on. */
export function within<T>(limitMs: number, words: string, task: Promise<T>): Promise<T> {
  return new Promise((resolve, reject) => {
    const giveUp = () => reject(new Late(words));
    // A process that was busy runs its timers before it reads its sockets: what has arrived by now is to count.
    const timer = setTimeout(() => setImmediate(giveUp), limitMs);
    task.then(resolve, reject).finally(() => clearTimeout(timer));
  });
}
