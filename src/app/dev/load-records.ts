import type { Plugin } from '../../contracts/plugin.js'
import type { CapsuleSettings } from '../../features/capsules/capsule-folder.js'
import type { CapsuleWriter } from '../../features/capsules/capsule-writer.js'
import type { RecordTaker } from '../../features/records/records-plugin.js'
import type { DescribedRoutes } from '../contract/documented-by-route.js'
import { DEFAULT_CAPSULES, type RecordsAndCapsules } from '../settings/records-options.js'
import type { Settings } from '../settings/settings.js'
import { type DevReport, findDevReport } from './dev-report.js'

/**
 * Loads the plugins that record requests, for the option `records` and for `blazon dev`. Without either, nothing is
 * loaded.
 *
 * @param described The documented routes with which `blazon dev` compares responses.
 */
export async function loadRecords(
  { records, plugins: own }: Pick<Settings, 'records' | 'plugins'>,
  described: (() => DescribedRoutes) | undefined,
): Promise<Plugin[]> {
  const sink = findDevReport()
  if (records.kept === null && records.capsules === null && sink === undefined) return []
  const { recordsPlugin } = await import('../../features/records/records-plugin.js')
  const taker = await takerOf(records, sink, described)
  const plugins = [recordsPlugin({ settings: records.kept, taker })]
  if (sink === undefined) return plugins
  const { noticeFetch } = await import('./notice-fetch.js')
  const { reportWork } = await import('./report-work.js')
  return [...plugins, noticeFetch(sink), ...reportWork(sink, own)]
}

/** The receiver of request records; `undefined` if there is none. */
async function takerOf(
  { capsules: settings, isOff }: RecordsAndCapsules,
  sink: DevReport | undefined,
  described: (() => DescribedRoutes) | undefined,
): Promise<RecordTaker | undefined> {
  const wanted = settings ?? (sink === undefined || isOff ? null : DEFAULT_CAPSULES)
  const capsules = wanted && (await capsulesOf(wanted))
  if (sink !== undefined && described !== undefined) {
    const { reportRecords } = await import('./report-records.js')
    return reportRecords(sink, { described, capsules })
  }
  return capsules ?? undefined
}

async function capsulesOf(settings: CapsuleSettings): Promise<CapsuleWriter> {
  const { CapsuleWriter } = await import('../../features/capsules/capsule-writer.js')
  return new CapsuleWriter(settings)
}
