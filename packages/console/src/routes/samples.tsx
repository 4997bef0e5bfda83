import type { ListedRoute } from '@asset-gateway/client/pay';
import { callParameters } from '@asset-gateway/client/tools';
import { isObject, type Members } from '@asset-gateway/protocol';
import { pythonSample } from '../parts/python-sample.ts';
import { type SampledCall, samplesOf } from '../parts/samples.ts';
import { SampleTabs } from '../parts/tabs.tsx';
import { type CatalogRow, SURFACES } from './catalog.ts';
import { positionsOf, type Schema } from './fields.ts';
import type { FormRequest } from './use-form.ts';

const CREDIT_METHODS: Readonly<Record<string, string>> = { getCredit: 'balance', buyCredit: 'buy' };

/** The values of an API call, by parameter. */
function namedValues(row: CatalogRow, { inPath, inQuery, input, body }: FormRequest): object {
  // Clients take a body without named members as one parameter.
  const inBody = { body, ...(isObject(body) && body) };
  const places: Record<string, Members> = { path: inPath, query: body === undefined ? input : inQuery, body: inBody };
  const values = callParameters(row as ListedRoute).map(({ name, place, key, schema }) => {
    const value = places[place]?.[key];
    const isNumber = place === 'path' && ['integer', 'number'].includes(String((schema as Schema).type));
    return [name, isNumber ? Number(value) : value];
  });
  return Object.fromEntries(values.filter(([, value]) => value !== undefined));
}

/** The arguments of the client's method for a request. */
function argumentsOf(row: CatalogRow, request: FormRequest): Pick<SampledCall, 'values' | 'named' | 'isApi'> {
  if (!SURFACES[row.surface]) {
    const named = namedValues(row, request);
    return { isApi: true, named, values: Object.keys(named).length > 0 ? [named] : [] };
  }
  const { inPath, input } = request;
  const params = input.params ?? input;
  if (Array.isArray(params)) {
    const names = positionsOf(row);
    return { values: params, named: Object.fromEntries(params.map((value, at) => [names[at] ?? at, value])) };
  }
  const hasInput = Object.keys(params as object).length > 0;
  return {
    values: [...Object.values(inPath), ...(hasInput ? [params] : [])],
    named: { ...inPath, ...(params as object) },
  };
}

/** A form's request in five clients. */
export function Samples({ row, request }: { readonly row: CatalogRow; readonly request: FormRequest }) {
  const call: SampledCall = {
    ...row,
    ...argumentsOf(row, request),
    method: CREDIT_METHODS[row.method] ?? row.method,
    url: location.origin + request.path,
    body: request.body,
  };
  const [curl, typeScript, ...others] = samplesOf(call);
  const samples = [curl, typeScript, pythonSample(call), ...others].filter((sample) => sample !== undefined);
  return (
    <section aria-labelledby="samples" class="samples">
      <h2 id="samples">The same call in code</h2>
      <SampleTabs samples={samples} />
    </section>
  );
}
