import cache from '../../../../docs/cache.md?url';
import metrics from '../../../../docs/metrics.md?url';
import alerts from '../../../../docs/operating/alerts.md?url';
import shares from '../../../../docs/operating/shares-and-blocking.md?url';
import sales from '../../../../docs/sales.md?url';

/** This version's documentation by title, as text on the port of this page. */
export const DOCUMENTS = { alerts, metrics, sales, cache, 'shares and blocking': shares } as const;

/** Returns the section of an alert. */
export const documentOf = (alert: string): string =>
  `${alerts}#:~:text=${encodeURIComponent(alert).replaceAll('-', '%2D')}`;
