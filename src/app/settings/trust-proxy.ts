import express from 'express'
import type { Problem } from '../../errors/config-error.js'
import { invalid } from '../../errors/invalid.js'

/** The `trustProxy` option: a number of proxies, their addresses, or a boolean. */
export type TrustProxy = boolean | number | string | readonly string[]

/** Finds what Express refuses, and addresses that can never be those of a proxy. */
export function checkTrustProxy(trustProxy: TrustProxy | undefined): Problem[] {
  const refusal = refusalOfExpress(trustProxy)
  if (refusal === null) return checkMapped(trustProxy)
  const remedy = 'Give a count of proxies, or their addresses.'
  return [invalid('trustProxy', `Express refuses it: ${refusal}.`, remedy)]
}

/** Why Express refuses a value of `trust proxy`; `null` when it does not. */
function refusalOfExpress(trustProxy: TrustProxy | undefined): string | null {
  // Nothing is set, so nothing can be refused; an application of Express is dear to make.
  if (trustProxy === undefined) return null
  try {
    express().set('trust proxy', trustProxy)
    return null
  } catch (error) {
    return (error as Error).message
  }
}

/** An IPv4 address in IPv6 spelling (RFC 4291, 2.5.5.2), and the length of its network. */
const MAPPED = /^::ffff:.*\/(\d+)$/i

/** A network that is meant to be one of IPv4, and has no IPv4 address in it: its proxies would not be believed. */
function checkMapped(trustProxy: TrustProxy | undefined): Problem[] {
  const addresses = typeof trustProxy === 'string' ? trustProxy.split(',') : trustProxy
  if (!Array.isArray(addresses)) return []
  const wrong = addresses.find((each) => Number(MAPPED.exec(String(each).trim())?.[1]) < 96)
  if (wrong === undefined) return []
  const cause = `${wrong.trim()} is a network of IPv6, which has no IPv4 address in it.`
  return [invalid('trustProxy', cause, "Write networks of IPv4 as such: '10.0.0.0/8'.")]
}
