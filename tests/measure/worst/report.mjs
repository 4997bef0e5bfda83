const MAX_MICROS = 20_000;
/** In sixty pairs of measurements of the same request, with five busy processes on two cores, the two differed by up to 1.34. */
const ERROR = 1.5;
/** Writing a list of twenty violations takes longer than a constant answer of a few bytes. */
const WRITING_MICROS = 100;

const nameOf = ({ place, kind, site, as }) => [as, place, site, kind].filter(Boolean).join(' / ');

/** Status 0 means that the connection closed without an answer. */
export const isRefusal = ({ status }) => status === 0 || status >= 400;

/** Why a request costs too much: over 20 ms, or more for a refusal than for an answer, in general or of the same size. */
export function faultOf(request, served) {
  const { micros, status, alike = 0 } = request;
  if (micros > MAX_MICROS) return `${nameOf(request)} costs ${micros} µs`;
  const isTooDear = micros > Math.max(served, alike) * ERROR + WRITING_MICROS;
  if (!isRefusal(request) || !isTooDear) return undefined;
  return `${nameOf(request)} is refused (${status}) for ${micros} µs, and served for ${served} or ${alike} µs`;
}

/** All requests that cost too much. */
export const faultsIn = (results) =>
  results.flatMap(({ id, served, requests }) =>
    requests.flatMap((request) => {
      const fault = faultOf(request, served);
      return fault ? [`${id}: ${fault}`] : [];
    }),
  );

export const HEADING = ['row', 'worst request', 'status', 'CPU, µs', 'served, µs', 'as large, µs'];

/** The most expensive refusal of a row, and its most expensive answer if that costs more. */
export function linesOf({ id, served, requests }) {
  const sorted = requests.toSorted((a, b) => b.micros - a.micros);
  const shown = isRefusal(sorted[0]) ? sorted.slice(0, 1) : [sorted.find(isRefusal), sorted[0]].filter(Boolean);
  return shown.map((each) => [id, nameOf(each), each.status, each.micros, served, each.alike ?? '']);
}
