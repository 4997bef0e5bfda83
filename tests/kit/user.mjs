/**
 * Becomes the user that AS_USER names, if it does. A program does so after its imports: another user may not be able to enter the
 * folder of the repository.
 */
export function becomeUser() {
  const id = Number(process.env.AS_USER);
  if (!id) return;
  process.setgroups([]);
  process.setgid(id);
  process.setuid(id);
}
