import { App, type Plugin } from 'blazon'
import { type PluginWork, Statements, WorkContext, type WorkItem } from 'blazon/plugin'
import { expect, it, onTestFinished } from 'vitest'
import type { ReportedWork } from '../../src/app/dev/dev-report.js'
import { reportWork } from '../../src/app/dev/report-work.js'

const item = (id: string): WorkItem => ({
  ...{ id, name: 'mail', state: 'dead', isFailed: true, tenant: null, at: 0 },
  ...{ facts: {}, actions: ['retry'] },
})

/** The plugin of a stranger: a queue in memory. */
function queue(work: Partial<PluginWork> = {}): Plugin {
  const list = () => [item('a'), item('b')]
  return { name: 'queue', work: () => ({ title: 'Mails', list, ...work }) }
}

/** Starts an application as `blazon dev` does. Returns what it reports, and a function that runs statements as work. */
async function start(...own: Plugin[]) {
  const works: ReportedWork[] = []
  const sink = { placeIn: () => null, work: (each: ReportedWork) => void works.push(each) }
  const plugins = [...own, ...reportWork(sink as never, own)]
  const app = await App.create({ plugins, logger: false })
  onTestFinished(() => app.close())
  const run = (id: string, ...texts: string[]) =>
    WorkContext.run({ id, facts: {}, headers: {} }, () => {
      for (const text of texts)
        app.get(Statements).begin({ system: 'postgresql', text })?.end({ rows: [], rowCount: 0 })
    })
  return { works, run }
}

const textsIn = async (work: ReportedWork | undefined) =>
  (await work?.list())?.items.map(({ statements }) => statements.map(({ text }) => text))

it('the report lists the jobs of a plugin, each with the statements of its last run', async () => {
  const { works, run } = await start({ name: 'other' }, queue())
  expect(works).toHaveLength(1)
  run('a', 'select 1', 'select 2')
  run('c', 'select 3')
  expect(await textsIn(works[0])).toEqual([['select 1', 'select 2'], []])
  run('a', 'select 4')
  expect(await textsIn(works[0])).toEqual([['select 4'], []])
  expect(await works[0]?.list()).toMatchObject({ title: 'Mails', items: [item('a'), item('b')] })
})

it('the report keeps at most 50 items, 100 statements of a run, and 200 runs', async () => {
  const limits: number[] = []
  const list = (limit: number) => {
    limits.push(limit)
    return Array.from({ length: 60 }, (_, index) => item(String(index)))
  }
  const { works, run } = await start(queue({ list }))
  run('0', ...Array.from({ length: 101 }, () => 'select 1'))
  expect((await textsIn(works[0]))?.map(({ length }) => length)).toEqual([
    100,
    ...Array(49).fill(0),
  ])
  for (let index = 1; index <= 200; index++) run(`other ${index}`, 'select 1')
  expect((await textsIn(works[0]))?.[0]).toEqual([])
  expect(limits).toEqual([50, 50])
})

it('the report calls only the actions of the plugin, and no other function', async () => {
  const actions = { retry: (id: string) => `${id} runs again.` }
  const { works } = await start(queue({ actions }), queue())
  expect(await works[0]?.act('retry', 'a')).toBe('a runs again.')
  await expect(works[0]?.act('constructor', 'a')).rejects.toThrow(
    'There is no action named constructor.',
  )
  await expect(works[1]?.act('retry', 'a')).rejects.toThrow('There is no action named retry.')
})

it('a plugin without `work` is not reported, and `work` is called only in blazon dev', async () => {
  expect(reportWork({} as never, [{ name: 'other' }])).toEqual([])
  const work = () => {
    throw new Error('called')
  }
  const app = await App.create({ plugins: [{ name: 'queue', work }], logger: false })
  await app.close()
})
