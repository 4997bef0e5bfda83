/** Writes the file of an API with so many operations, an even number, and its document; returns the path of the file. */
export function writeLargeApi(folder: string, count: number): string;
