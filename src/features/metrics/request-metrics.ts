import type { Metric } from '../../contracts/metrics.js'
import type { RequestSeries } from './request-series.js'

/** The metrics of requests that are not histograms. */
export function requestMetrics(requests: RequestSeries, active: () => number): Metric[] {
  const { causes, tenants } = requests
  return [
    {
      name: 'http_server_active_requests',
      help: 'Requests in progress, including the scrape.',
      type: 'gauge',
      read: active,
    },
    {
      name: 'http_server_responses_total',
      help: 'Responses, by the part of the application that has decided them.',
      type: 'counter',
      read: () =>
        [...causes].map(([cause, { responses }]) => ({ labels: { cause }, value: responses })),
    },
    ...(requests.countsTenants
      ? [
          perTenant('http_server_tenant_requests_total', 'Requests of tenants.', 'requests'),
          perTenant(
            'http_server_tenant_request_seconds_total',
            'The time that requests of tenants took.',
            'seconds',
          ),
        ]
      : []),
  ]

  function perTenant(name: string, help: string, field: 'requests' | 'seconds'): Metric {
    const read = () =>
      [...tenants].map(([tenant, count]) => ({ labels: { tenant }, value: count[field] }))
    return { name, help, type: 'counter', read }
  }
}
