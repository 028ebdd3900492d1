import type { RanStatement } from '../../contracts/database.js'
import type { Plugin, PluginContext } from '../../contracts/plugin.js'
import type { PluginWork, WorkItem } from '../../contracts/reports.js'
import type { RecordedStatement } from '../../contracts/request-record.js'
import { recordedStatement } from '../../features/records/record-of.js'
import { WorkContext } from '../../http/contexts.js'
import type { DevReport, ReportedWork } from './dev-report.js'

/** The maximum number of listed items. */
const MOST_ITEMS = 50
/** How many runs are stored with their statements, and how many statements are stored for each run. */
const [MOST_RUNS, MOST_STATEMENTS] = [200, 100]

/** The statements of the last runs, by the ID of their work. */
class RunStatements {
  readonly #runs = new Map<string, { readonly begin: number; readonly all: RecordedStatement[] }>()
  readonly #ofWork = new WeakSet<object>()
  readonly #placeIn: DevReport['placeIn']

  constructor(placeIn: DevReport['placeIn']) {
    this.#placeIn = placeIn
  }

  add(statement: RanStatement): void {
    const work = WorkContext.current()
    if (work?.id === undefined || statement.req !== undefined) return
    // Another run of the same work starts with an empty list.
    if (!this.#ofWork.has(work)) this.#runs.delete(work.id)
    this.#ofWork.add(work)
    const run = this.#runs.get(work.id) ?? { begin: statement.startedAt, all: [] }
    this.#runs.set(work.id, run)
    const [oldest = ''] = this.#runs.keys()
    if (this.#runs.size > MOST_RUNS) this.#runs.delete(oldest)
    if (run.all.length >= MOST_STATEMENTS) return
    const config = { hide: (text: string) => text, placeIn: this.#placeIn }
    run.all.push(recordedStatement(statement, statement.startedAt - run.begin, config))
  }

  of({ id }: WorkItem): readonly RecordedStatement[] {
    return this.#runs.get(id)?.all ?? []
  }
}

/**
 * Returns the plugins that allow `blazon dev` to list and change the work of other plugins. The list is empty if no
 * plugin lists work.
 */
export function reportWork(sink: DevReport, plugins: readonly Plugin[]): Plugin[] {
  if (plugins.every(({ work }) => work === undefined)) return []
  const statements = new RunStatements(sink.placeIn)
  const observe = () => ({
    onStatement: (statement: RanStatement) => statements.add(statement),
    needsStacks: true,
    needsRequests: false,
  })
  const setup = ({ get }: PluginContext) => {
    for (const plugin of plugins) {
      const work = plugin.work?.({ get })
      if (work !== undefined) sink.work(reported(work, statements))
    }
  }
  return [{ name: 'report-work', requests: observe, setup }]
}

function reported({ title, list, actions = {} }: PluginWork, of: RunStatements): ReportedWork {
  return {
    async list() {
      const items = (await list(MOST_ITEMS)).slice(0, MOST_ITEMS)
      return { title, items: items.map((item) => ({ ...item, statements: of.of(item) })) }
    },
    async act(name, id) {
      if (!Object.hasOwn(actions, name)) throw new Error(`There is no action named ${name}.`)
      return (await actions[name]?.(id)) as string
    },
  }
}
