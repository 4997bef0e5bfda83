const MAX_UNDER_WAY = 16;

/** Runs at most 16 calls at once; others wait in sequence. */
export class Turns {
  readonly #waiting: (() => void)[] = [];
  #underWay = 0;

  async run<Result>(call: () => Promise<Result>): Promise<Result> {
    if (this.#underWay >= MAX_UNDER_WAY) await new Promise<void>((resolve) => this.#waiting.push(resolve));
    else this.#underWay++;
    try {
      return await call();
    } finally {
      const next = this.#waiting.shift();
      if (next) next();
      else this.#underWay--;
    }
  }
}
