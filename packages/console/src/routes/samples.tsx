import { positionalParameters, type Route } from '@asset-gateway/protocol';
import { pythonSample } from '../parts/python-sample.ts';
import { SampleTabs } from '../parts/sample-tabs.tsx';
import { type SampledCall, samplesOf } from '../parts/samples.ts';
import type { Row } from './catalog.ts';
import type { FormRequest } from './use-form.ts';

const CREDIT_METHODS: Readonly<Record<string, string>> = { getCredit: 'balance', buyCredit: 'buy' };

/** The arguments of the client's method for a request. */
function argumentsOf({ inputSchema }: Row, { inPath, input }: FormRequest): Pick<SampledCall, 'values' | 'named'> {
  const params = input.params ?? input;
  if (Array.isArray(params)) {
    const names = positionalParameters({ input: { body: inputSchema } } as unknown as Route) ?? [];
    return { values: params, named: Object.fromEntries(params.map((value, at) => [names[at]?.name ?? at, value])) };
  }
  const hasInput = Object.keys(params as object).length > 0;
  return {
    values: [...Object.values(inPath), ...(hasInput ? [params] : [])],
    named: { ...inPath, ...(params as object) },
  };
}

function callOf(row: Row, request: FormRequest): SampledCall {
  const { surface, method, accessMode, priceUsd = '0', cluster, provider } = row;
  const { credit } = row as { readonly credit?: string };
  return {
    ...argumentsOf(row, request),
    family: surface,
    method: CREDIT_METHODS[method] ?? method,
    url: location.origin + request.path,
    body: request.body,
    access: accessMode,
    priceUsd,
    cluster,
    provider,
    credit,
  };
}

/** The request of a form in five clients. */
export function Samples({ row, request }: { readonly row: Row; readonly request: FormRequest }) {
  const call = callOf(row, request);
  const [curl, typeScript, ...others] = samplesOf(call);
  const samples = [curl, typeScript, pythonSample(call), ...others].filter((sample) => sample !== undefined);
  return (
    <section aria-labelledby="samples" class="samples">
      <h2 id="samples">The same call in code</h2>
      <SampleTabs samples={samples} />
    </section>
  );
}
