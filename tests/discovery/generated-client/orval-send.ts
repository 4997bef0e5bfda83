/** Where calls go, and how they are sent. */
export const connection: { baseUrl: string; send: typeof fetch } = { baseUrl: '', send: fetch };

/** Sends the calls of the generated client. */
export async function send<T>(path: string, init: RequestInit): Promise<T> {
  const { status, headers } = await connection.send(connection.baseUrl + path, init);
  return { status, headers, data: undefined } as T;
}
