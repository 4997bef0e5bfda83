/** The simulated rows with the gateway's lifetimes. */
export function rowsOf({ LIFETIMES, BATCH_SIZES, candlesLifetime }, kinds) {
  return new Map(
    kinds.map((kind) => {
      const [method, interval] = kind.split(' ');
      const lifetime = interval ? candlesLifetime(interval, false) : LIFETIMES[`tokens.${method}`];
      const size = BATCH_SIZES[`tokens.${method}`];
      const batch = size && { name: method, size };
      const made = new Map();
      const key = (asset) => {
        const id = `${kind}:${asset}`;
        const known = made.get(id) ?? { id, ...lifetime, ...(batch && { batch }) };
        if (typeof asset === 'number') made.set(id, known);
        return known;
      };
      return [kind, { lifetime, batch, key }];
    }),
  );
}
