/** Becomes the user in AS_USER, if set. Call it after the imports, because another user may be unable to enter the repository's folder. */
export function becomeUser() {
  const id = Number(process.env.AS_USER);
  if (!id) return;
  process.setgroups([]);
  process.setgid(id);
  process.setuid(id);
}
