import type { ReportedWork } from '../../../app/dev/dev-report.js'
import { messageOf } from '../../message-of.js'
import type { WorkQuery, WorkReply } from '../protocol.js'

/** Runs a query of the command about the work that the plugins of this process list. */
export async function runQuery(
  parts: readonly ReportedWork[],
  query: WorkQuery,
): Promise<WorkReply> {
  try {
    if (query.do === 'list') return { value: await Promise.all(parts.map((part) => part.list())) }
    const part = parts[query.part]
    if (part === undefined) throw new Error('The application has no such list.')
    return { value: await part.act(query.action, query.item) }
  } catch (error) {
    return { message: messageOf(error) }
  }
}
