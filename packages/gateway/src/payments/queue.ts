/** Runs tasks of the same name one after the other, and of different names side by side. */
export class Queues {
  readonly #last = new Map<string, Promise<unknown>>();

  /** When everything that was running has ended. */
  async idle(): Promise<void> {
    await Promise.all(this.#last.values());
  }

  run<T>(name: string, task: () => Promise<T>): Promise<T> {
    const before = this.#last.get(name) ?? Promise.resolve();
    const result = before.then(task, task);
    const settled = result.catch(() => undefined);
    this.#last.set(name, settled);
    void settled.then(() => {
      if (this.#last.get(name) === settled) this.#last.delete(name);
    });
    return result;
  }
}
