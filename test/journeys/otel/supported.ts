import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { root } from '../../root.js'

/** Whether a version is in a range like `^18.19.0 || >=20.6.0`: all that `engines` of OpenTelemetry's packages have. */
export function isInRange(version: string, range: string): boolean {
  const have = version.split('.').map(Number)
  return range.split('||').some((part) => {
    const [, sign, least = ''] = /^\s*(\^|>=)(\S+)\s*$/.exec(part) ?? []
    if (sign === undefined) throw new Error(`A range that this test cannot read: ${range}`)
    const need = least.split('.').map(Number)
    if (sign === '^' && have[0] !== need[0]) return false
    const at = need.findIndex((number, index) => number !== have[index])
    return at < 0 || (have[at] as number) > (need[at] as number)
  })
}

const manifest = join(root, 'node_modules/@opentelemetry/sdk-trace-node/package.json')
const { version, engines } = JSON.parse(readFileSync(manifest, 'utf8'))

/** Whether the SDK of OpenTelemetry runs on this Node. */
export const isSupported = isInRange(process.versions.node, engines.node)

if (!isSupported) {
  console.warn(
    `Skipped: version ${version} of the SDK of OpenTelemetry needs Node ${engines.node}, and this is ${process.version}.`,
  )
}
