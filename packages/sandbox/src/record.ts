const MAX_RECORDED = 100_000;

/** Appends a received request; a sandbox that runs for days drops the oldest ones. */
export function record<Item>(items: Item[], item: Item): Item {
  if (items.length >= MAX_RECORDED) items.splice(0, MAX_RECORDED / 2);
  items.push(item);
  return item;
}
