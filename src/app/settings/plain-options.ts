import type { ErrorReporter } from '../../contracts/observers.js'
import type { EnvelopeChoice, ErrorFormat } from '../../contracts/wire-format.js'
import { invalid, type Problem, shown } from '../../errors/config-error.js'
import type { OptionGroup } from '../../errors/option-group.js'
import { createExpressApp } from '../../http/express-parts.js'
import { checkSwitch } from '../../http/units.js'
import { checkEnvelope } from '../../model/check-envelope.js'
import { type DocumentSettings, swaggerGroup } from '../../openapi/swagger-options.js'

type SwitchGroup<D> = OptionGroup<boolean | undefined, boolean | D>

/** An option that is `true` or `false`. */
function switchGroup<D extends false | null>(name: string, byDefault: D): SwitchGroup<D> {
  return {
    unknown: () => [],
    check: (value) => checkSwitch(name, value),
    resolve: (value) => value ?? byDefault,
  }
}

export const etagGroup: SwitchGroup<false> = switchGroup('etag', false)
export const strictGroup: SwitchGroup<false> = switchGroup('strict', false)
export const trustIdGroup: SwitchGroup<false> = switchGroup('trustRequestId', false)
/** The setting is `null` if the option is not set; then `logs` decides. */
export const requestIdGroup: SwitchGroup<null> = switchGroup('requestIds', null)

/** The `onError` option. The setting is `null` if the option is not set. */
export const onErrorGroup: OptionGroup<ErrorReporter | undefined, ErrorReporter | null> = {
  unknown: () => [],
  check(onError: unknown) {
    if (onError === undefined || typeof onError === 'function') return []
    const remedy = 'Pass a function (error, context) => { … }.'
    return [invalid('onError', `${shown(onError)} is not a function.`, remedy)]
  },
  resolve: (onError) => onError ?? null,
}

type Option = Parameters<typeof swaggerGroup.check>[0]

/** The `openapi` option: another name for `swagger`. The setting is `null` if the option is not set. */
export const openapiGroup: OptionGroup<Option, readonly DocumentSettings[] | null> = {
  unknown: (option) => underThisName(swaggerGroup.unknown(option)),
  check: (option) => underThisName(swaggerGroup.check(option)),
  resolve: (option) => (option === undefined ? null : swaggerGroup.resolve(option)),
}

function underThisName(problems: readonly Problem[]): Problem[] {
  return problems.map((problem) => ({
    ...problem,
    subject: problem.subject.replace(/^swagger/, 'openapi'),
  }))
}

/** Checks that only one of the two names is used. */
export function checkDocumentNames(options: {
  readonly openapi?: unknown
  readonly swagger?: unknown
}): Problem[] {
  if (options.openapi === undefined || options.swagger === undefined) return []
  const cause = '`openapi` and `swagger` are names of the same option, but both are set.'
  return [invalid('openapi', cause, 'Keep one of them.')]
}

/** The `envelope` option: the envelope of routes without `@Envelope`. */
export const envelopeGroup: OptionGroup<EnvelopeChoice | undefined, EnvelopeChoice> = {
  unknown: () => [],
  check: (envelope) => (envelope === undefined ? [] : checkEnvelope('envelope', envelope)),
  resolve: (envelope) => envelope ?? true,
}

/** The options that choose the wire format. */
interface WireOptions {
  readonly envelope?: unknown
  readonly errors?: unknown
}

/** Checks that only one option defines an error format. */
export function checkErrorFormats({ envelope, errors }: WireOptions): Problem[] {
  const own = (envelope as { readonly error?: ErrorFormat } | undefined | null)?.error
  const isTwice = own !== undefined && (errors === 'problem' || hasFormat(errors))
  if (!isTwice) return []
  const cause = '`errors` also sets an error format, but only one format can be used.'
  return [invalid('envelope.error', cause, 'Remove one of the two options.')]
}

function hasFormat(errors: unknown): boolean {
  return (errors as { readonly format?: unknown } | undefined | null)?.format !== undefined
}

/** The `trustProxy` option: a number of proxies, their addresses, or a boolean. */
export type TrustProxy = boolean | number | string | readonly string[]

/**
 * The `trustProxy` option. The setting is `null` if the option is not set; then the setting of the host application
 * applies.
 */
export const trustProxyGroup: OptionGroup<TrustProxy | undefined, TrustProxy | null> = {
  unknown: () => [],
  check,
  resolve: (trustProxy) => trustProxy ?? null,
}

/**
 * Finds values that Express rejects, and networks that contain no IPv4 address although they look like IPv4 networks.
 */
function check(trustProxy: TrustProxy | undefined): Problem[] {
  const refusal = refusalOfExpress(trustProxy)
  if (refusal === null) return checkMapped(trustProxy)
  const remedy = 'Pass the number of proxies, or their addresses.'
  return [invalid('trustProxy', `Express refuses it: ${refusal}.`, remedy)]
}

/** Returns the reason why Express rejects a value of `trust proxy`, or `null` if Express accepts it. */
function refusalOfExpress(trustProxy: TrustProxy | undefined): string | null {
  // Creating an Express application is slow, so skip it if the option is not set.
  if (trustProxy === undefined) return null
  try {
    createExpressApp().set('trust proxy', trustProxy)
    return null
  } catch (error) {
    return (error as Error).message
  }
}

/** An IPv4-mapped IPv6 address (RFC 4291, section 2.5.5.2) with its prefix length. */
const MAPPED = /^::ffff:.*\/(\d+)$/i

/**
 * Finds IPv4-mapped networks whose prefix is shorter than 96 bits. Such a network contains no IPv4 address, so its
 * proxies would not be trusted.
 */
function checkMapped(trustProxy: TrustProxy | undefined): Problem[] {
  const addresses = typeof trustProxy === 'string' ? trustProxy.split(',') : trustProxy
  if (!Array.isArray(addresses)) return []
  const wrong = addresses.find((each) => Number(MAPPED.exec(String(each).trim())?.[1]) < 96)
  if (wrong === undefined) return []
  const cause = `${wrong.trim()} is an IPv6 network, which contains no IPv4 addresses.`
  return [invalid('trustProxy', cause, "Write IPv4 networks in IPv4 notation: '10.0.0.0/8'.")]
}
