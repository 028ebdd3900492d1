import { negotiate } from '../../http/negotiate.js'
import { type Format, OPEN, TEXT } from './exposition.js'

/** The formats by media types as scrapers name them. The first one suits a client that takes everything. */
const FORMATS: readonly (readonly [type: string, format: Format])[] = [
  ['text/plain;version=0.0.4', TEXT],
  ['application/openmetrics-text;version=1.0.0', OPEN],
]

/**
 * Chooses the format of a scrape. Prometheus requests OpenMetrics with parameters that do not change these metrics,
 * such as `escaping`; they are left out. A client that accepts neither format gets text.
 */
export function chooseFormat(accept: string | undefined): Format {
  const known = accept?.replace(/;\s*(?:escaping|charset|validchars)=[^;,]*/gi, '')
  const type = negotiate(
    known,
    FORMATS.map(([type]) => type),
  )
  return FORMATS.find(([name]) => name === type)?.[1] ?? TEXT
}
