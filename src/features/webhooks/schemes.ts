import { createHash, createHmac, timingSafeEqual } from 'node:crypto'
import type { IncomingHttpHeaders } from 'node:http'
import type { WebhookDelivery, WebhookScheme } from '../../contracts/webhook.js'

/** The data in the headers of a delivery, before the signature is verified. */
interface Signed {
  /** The signed text that precedes the body; `''` if there is none. */
  readonly prefix: string
  /** The signatures. While a sender rotates its secret, it signs with several secrets. */
  readonly signatures: readonly Buffer[]
  /** Seconds since 1970; `null` if the scheme has no timestamp. */
  readonly seconds: number | null
  /** The delivery ID; `null` if the signed text contains a timestamp and therefore identifies the delivery. */
  readonly id: string | null
}

/** The functions that read the headers and secrets of a scheme. */
interface Scheme {
  /** Returns the signed data; `null` if a header is missing or malformed. */
  readonly read: (headers: IncomingHttpHeaders) => Signed | null
  /** Converts a secret to a key; `null` if the secret is invalid. */
  readonly keyOf: (secret: string) => Buffer | null
}

/** The facts about a delivery whose signature is valid. */
export interface Verified extends Pick<Signed, 'seconds'> {
  /** Identifies the delivery. The ID is the same regardless of which signature was valid. */
  readonly id: string
}

/** The minimum key length of Standard Webhooks, in bytes. */
const SHORTEST_KEY = 24

const SCHEMES: Readonly<Record<WebhookScheme['scheme'], Scheme>> = {
  standard: { read: readStandard, keyOf: standardKey },
  stripe: { read: readStripe, keyOf: textKey },
  github: { read: readGithub, keyOf: textKey },
}

/** Returns the keys for a scheme; `null` if there is no secret, or if a secret is invalid. */
export function keysOf(scheme: WebhookScheme['scheme'], given: unknown): readonly Buffer[] | null {
  const list: readonly unknown[] = Array.isArray(given) ? given : [given]
  const { keyOf } = SCHEMES[scheme]
  const keys = list.map((secret) => (typeof secret === 'string' ? keyOf(secret) : null))
  return keys.length === 0 || keys.includes(null) ? null : (keys as Buffer[])
}

/** Verifies a delivery. Takes the same time for all signatures of the same length. Returns `null` if no key matches. */
export function verifySignature(
  { scheme }: WebhookScheme,
  keys: readonly Buffer[],
  { headers, body }: WebhookDelivery,
): Verified | null {
  const signed = SCHEMES[scheme].read(headers)
  if (signed === null) return null
  const { prefix, signatures, seconds, id } = signed
  for (const key of keys) {
    const expected = hmacOf(key, prefix, body)
    if (signatures.some((given) => isEqual(expected, given))) {
      return { seconds, id: id ?? digestOf(prefix, body) }
    }
  }
  return null
}

/** Returns the signature of a prefix followed by the body. */
export function hmacOf(key: Buffer, prefix: string, body: Buffer | string): Buffer {
  return createHmac('sha256', key).update(prefix).update(body).digest()
}

/**
 * Returns a digest that identifies a delivery. A single signature does not identify the delivery, because a sender
 * signs with two keys while it rotates its secret.
 */
function digestOf(prefix: string, body: Buffer): string {
  return createHash('sha256').update(prefix).update(body).digest('base64')
}

function isEqual(expected: Buffer, given: Buffer): boolean {
  return expected.length === given.length && timingSafeEqual(expected, given)
}

function readStandard(headers: IncomingHttpHeaders): Signed | null {
  const of = (name: string) => textOf(headers[`webhook-${name}`] ?? headers[`svix-${name}`])
  const [id, time, list] = [of('id'), of('timestamp'), of('signature')]
  const seconds = secondsOf(time)
  // If the ID contained a dot, the signed text could be split differently, so that a part of the body would be read as
  // the timestamp.
  if (id === null || id.includes('.') || list === null || seconds === null) return null
  const signatures = list.split(' ').flatMap((each) => decode(each, 'v1,', 'base64'))
  return { prefix: `${id}.${time}.`, signatures, seconds, id: null }
}

function readStripe(headers: IncomingHttpHeaders): Signed | null {
  const parts = textOf(headers['stripe-signature'])?.split(',') ?? []
  const time = parts.find((part) => part.startsWith('t='))?.slice(2) ?? null
  const seconds = secondsOf(time)
  if (seconds === null) return null
  const signatures = parts.flatMap((part) => decode(part, 'v1=', 'hex'))
  return { prefix: `${time}.`, signatures, seconds, id: null }
}

function readGithub(headers: IncomingHttpHeaders): Signed | null {
  const signature = textOf(headers['x-hub-signature-256'])
  const id = textOf(headers['x-github-delivery'])
  // The ID is not signed. It is stored for a day, so it must be short.
  if (signature === null || id === null || !/^[\w-]{1,100}$/.test(id)) return null
  return { prefix: '', signatures: decode(signature, 'sha256=', 'hex'), seconds: null, id }
}

function textOf(header: string | readonly string[] | undefined): string | null {
  return typeof header === 'string' && header !== '' ? header : null
}

function secondsOf(text: string | null): number | null {
  return text !== null && /^\d{1,12}$/.test(text) ? Number(text) : null
}

/** Decodes a signature. The result is empty if the signature has another version. */
function decode(text: string, version: string, encoding: 'hex' | 'base64'): Buffer[] {
  return text.startsWith(version) ? [Buffer.from(text.slice(version.length), encoding)] : []
}

function standardKey(secret: string): Buffer | null {
  const text = secret.replace(/^whsec_/, '')
  if (!/^[A-Za-z0-9+/]+={0,2}$/.test(text)) return null
  const key = Buffer.from(text, 'base64')
  return key.length >= SHORTEST_KEY ? key : null
}

function textKey(secret: string): Buffer | null {
  return secret.trim() === '' ? null : Buffer.from(secret, 'utf8')
}
