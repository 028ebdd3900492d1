import type { Metric } from '../../plugin/index.js'
import type { Driver } from './driver.js'

/** The metrics of the connections to the database. */
export function poolMetrics(driver: Pick<Driver, 'size' | 'usage'>): Metric[] {
  return [
    gauge('db_client_connections_used', 'Connections that are in use.', () => driver.usage().lent),
    gauge('db_client_connections_max', 'Connections that can be used at once.', () => driver.size),
    gauge('db_client_connections_waiting', 'Callers that wait for a connection.', () => {
      return driver.usage().waiting
    }),
  ]
}

function gauge(name: string, help: string, read: () => number): Metric {
  return { name, help, type: 'gauge', read }
}
