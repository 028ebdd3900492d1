import { invalid, type Problem } from '../../errors/config-error.js'
import type { OptionGroup } from '../../errors/option-group.js'
import { createExpressApp } from '../../http/express-parts.js'

/** The `trustProxy` option: a number of proxies, their addresses, or a boolean. */
export type TrustProxy = boolean | number | string | readonly string[]

/** The `trustProxy` option. The settings are `null` without the option: a host of the application then decides. */
export const trustProxyGroup: OptionGroup<TrustProxy | undefined, TrustProxy | null> = {
  unknown: () => [],
  check,
  resolve: (trustProxy) => trustProxy ?? null,
}

/** Finds values that Express rejects, and addresses that no proxy can have. */
function check(trustProxy: TrustProxy | undefined): Problem[] {
  const refusal = refusalOfExpress(trustProxy)
  if (refusal === null) return checkMapped(trustProxy)
  const remedy = 'Give a count of proxies, or their addresses.'
  return [invalid('trustProxy', `Express refuses it: ${refusal}.`, remedy)]
}

/** Returns why Express rejects a value of `trust proxy`, or `null` if Express accepts it. */
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

/** An IPv4 address in IPv6 notation (RFC 4291, section 2.5.5.2) with the length of its network. */
const MAPPED = /^::ffff:.*\/(\d+)$/i

/**
 * Finds networks in the IPv6 notation of IPv4 whose prefix is shorter than 96 bits. Such a network contains no
 * IPv4 address, so its proxies would not be trusted.
 */
function checkMapped(trustProxy: TrustProxy | undefined): Problem[] {
  const addresses = typeof trustProxy === 'string' ? trustProxy.split(',') : trustProxy
  if (!Array.isArray(addresses)) return []
  const wrong = addresses.find((each) => Number(MAPPED.exec(String(each).trim())?.[1]) < 96)
  if (wrong === undefined) return []
  const cause = `${wrong.trim()} is a network of IPv6, which has no IPv4 address in it.`
  return [invalid('trustProxy', cause, "Write networks of IPv4 as such: '10.0.0.0/8'.")]
}
