import { createHmac } from 'node:crypto'
import { type OptionNames, refuseUnknown } from '../../plugin/index.js'
import { machineClock, type TimeSource } from './token-verifier.js'

/** Options of {@link signTestToken}. */
export interface TestTokenOptions {
  /** The header of the token, without `alg`. Default: `{ typ: 'JWT' }`. */
  readonly header?: Readonly<Record<string, unknown>>
  /** The clock for `iat` and `exp`, such as `app.clock` of a `TestApp`. Default: the system clock. */
  readonly clock?: Pick<TimeSource, 'now'>
}

const NAMES: OptionNames<TestTokenOptions> = { header: true, clock: true }

/**
 * Signs a token with HS256 and a secret, for tests of an application whose guard has the same secret in `keys`. Without
 * `iat` and `exp`, the token is issued now and expires in an hour. Claims that are `undefined` are omitted.
 *
 * @throws TypeError if the secret is shorter than 32 bytes.
 * @example
 * const secret = randomBytes(32)
 * const app = await TestApp.create({ ...options, auth: { guard: jwt({ keys: secret }) } })
 * app.withAuth(signTestToken({ sub: '7', roles: ['editor'] }, secret, { clock: app.clock }))
 */
export function signTestToken(
  claims: Readonly<Record<string, unknown>>,
  secret: string | Uint8Array,
  options: TestTokenOptions = {},
): string {
  refuseUnknown('signTestToken()', options, NAMES)
  const { header, clock = machineClock } = options
  if (Buffer.byteLength(secret) < 32)
    throw new TypeError('signTestToken: pass a secret of at least 32 bytes.')
  const now = Math.floor(clock.now() / 1000)
  const parts = [
    { typ: 'JWT', ...header, alg: 'HS256' },
    { iat: now, exp: now + 3600, ...claims },
  ]
  const text = parts
    .map((part) => Buffer.from(JSON.stringify(part)).toString('base64url'))
    .join('.')
  return `${text}.${createHmac('sha256', secret).update(text).digest('base64url')}`
}
