import type { Schema } from 'blazon'
import * as v from 'valibot'
import { z } from 'zod'
import { type Hostile, LIMIT } from './body.js'
import { BEGINNINGS, LONG_TEXTS } from './values.js'

const AJV_FORMATS =
  `date time date-time iso-time iso-date-time duration uri uri-reference uri-template url email hostname ipv4 ipv6
regex uuid json-pointer json-pointer-uri-fragment relative-json-pointer byte`.split(/\s+/)

const FORMATS: Readonly<Record<string, Schema>> = {
  ...Object.fromEntries(AJV_FORMATS.map((format) => [`JSON Schema, ${format}`, { format }])),
  'zod, email': z.email(),
  'zod, url': z.url(),
  'zod, uuid': z.uuid(),
  'zod, datetime': z.iso.datetime(),
  'zod, duration': z.iso.duration(),
  'zod, base64': z.base64(),
  'zod, jwt': z.jwt(),
  'zod, hostname': z.hostname(),
  'zod, ipv6': z.ipv6(),
  'zod, emoji': z.emoji(),
  'zod, coerced number': z.coerce.number(),
  'zod, coerced bigint': z.coerce.bigint(),
  'valibot, email': v.pipe(v.string(), v.email()),
  'valibot, rfcEmail': v.pipe(v.string(), v.rfcEmail()),
  'valibot, url': v.pipe(v.string(), v.url()),
  'valibot, base64': v.pipe(v.string(), v.base64()),
  'valibot, isoTimestamp': v.pipe(v.string(), v.isoTimestamp()),
  'valibot, ipv6': v.pipe(v.string(), v.ipv6()),
  'valibot, slug': v.pipe(v.string(), v.slug()),
}

/** As many of all texts for each format as an attempt can take: {@link ALL_TEXTS} tries the others. */
const EACH = 5

/** Beginnings and what is repeated behind them, as long as a body can be. */
export const ALL_TEXTS: readonly string[] = BEGINNINGS.flatMap((beginning) =>
  LONG_TEXTS.map((text) => JSON.stringify(beginning + text)),
).filter((text) => Buffer.byteLength(text) <= LIMIT)

/** Long texts against the formats of libraries. Some of them are what the format says. */
export const TEXTS: readonly Hostile[] = [
  ...Object.entries(FORMATS).flatMap(([name, schema], nth) =>
    Array.from({ length: EACH }, (_, n) => ({
      name: `${name}: long text ${n}`,
      schema,
      text: ALL_TEXTS[(nth * 97 + n * 211) % ALL_TEXTS.length] as string,
    })),
  ),
  {
    name: 'JSON Schema, url: many colons',
    schema: { format: 'url' },
    text: JSON.stringify(`http://${':'.repeat(LIMIT - 20)}`),
    status: 400,
    path: '',
  },
]
