import type { Environment } from '@asset-gateway/gateway';
import { type ApiEntry, documentPath, type ServedApis, serveApis } from '../apis/apis.ts';

const shared = { key: { bearer: true, env: 'TEST_API_KEY' }, requestsPerMinute: 1000 };

/** A gateway with an API of which one operation is free and one paid, and with an API of notes. */
export const serveWeatherAndNotes = (notes: ApiEntry = {}, variables: Environment = {}): Promise<ServedApis> =>
  serveApis(
    {
      weather: {
        ...shared,
        title: 'Weather of the world',
        openapi: documentPath('weather.yaml'),
        operations: { getForecast: {}, getHistory: { access: 'exact', price: '0.002' } },
      },
      notes: {
        ...shared,
        title: 'Notes',
        openapi: documentPath('notes.yaml'),
        operations: { 'list-notes': {}, 'update-note': {} },
        ...notes,
      },
    },
    variables,
  );
