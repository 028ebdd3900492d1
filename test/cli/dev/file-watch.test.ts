import fs, {
  appendFileSync,
  mkdirSync,
  mkdtempSync,
  realpathSync,
  renameSync,
  rmSync,
  utimesSync,
  writeFileSync,
} from 'node:fs'
import { syncBuiltinESMExports } from 'node:module'
import { tmpdir } from 'node:os'
import { join, relative } from 'node:path'
import { expect, it, onTestFinished, vi } from 'vitest'
import { FileWatch } from '../../../src/cli/dev/file-watch.js'
import { until } from '../../integrations/until.js'
import { turns } from '../../journeys/turns.js'

/** A folder with the files `a.js` and `b.js`, of which the first one is watched. */
function watchFolder() {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), 'blazon-watch-')))
  const path = (name: string) => join(folder, name)
  const calls: string[][] = []
  const errors: Error[] = []
  const watch = new FileWatch(
    (paths) => void calls.push(paths.map((each) => relative(folder, each)).sort()),
    (error) => void errors.push(error),
  )
  onTestFinished(() => {
    watch.close()
    rmSync(folder, { recursive: true })
  })
  for (const name of ['a.js', 'b.js']) writeFileSync(path(name), name)
  watch.add(path('a.js'))
  /** Waits for the next report. */
  const next = async () => {
    await until(() => calls.length > 0)
    return calls.shift()
  }
  return { path, watch, calls, errors, next }
}

it('only new content counts, also of a file that is renamed into place or removed', async () => {
  const { path, watch, next, calls } = watchFolder()
  watch.add(path('b.js'))
  utimesSync(path('a.js'), 1, 1)
  writeFileSync(path('b.js'), '1')
  expect(await next()).toEqual(['b.js'])
  writeFileSync(path('new'), 'a.js')
  renameSync(path('new'), path('a.js'))
  writeFileSync(path('b.js'), '2')
  expect(await next()).toEqual(['b.js'])
  writeFileSync(path('new'), 'renamed')
  renameSync(path('new'), path('a.js'))
  expect(await next()).toEqual(['a.js'])
  rmSync(path('a.js'))
  expect(await next()).toEqual(['a.js'])
  writeFileSync(path('a.js'), 'renamed')
  expect(await next()).toEqual(['a.js'])
  expect(calls).toEqual([])
})

it('an emptied file is reported once, with the content that follows, or as empty', async () => {
  const { path, calls } = watchFolder()
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
  onTestFinished(() => void vi.useRealTimers())
  const noticed = async () => {
    while (vi.getTimerCount() === 0) await turns(1)
  }
  writeFileSync(path('a.js'), '')
  await noticed()
  vi.advanceTimersByTime(60)
  expect([calls, vi.getTimerCount()]).toEqual([[], 1])
  appendFileSync(path('a.js'), 'content')
  vi.advanceTimersByTime(100)
  expect(calls).toEqual([['a.js']])
  // Events of the changes above may still arrive. They change nothing.
  writeFileSync(path('a.js'), '')
  while (calls.length < 2) {
    await noticed()
    vi.advanceTimersByTime(100)
  }
  expect(calls).toEqual([['a.js'], ['a.js']])
})

it('files that do not exist yet, and files of folders at any depth, are watched', async () => {
  const { path, watch, next, calls } = watchFolder()
  for (const name of ['later/deep/c.js', 'views']) watch.add(path(name))
  mkdirSync(path('views/node_modules/x'), { recursive: true })
  for (const name of ['node_modules/x/i.js', '.hidden', 'page~']) {
    writeFileSync(path(`views/${name}`), '1')
  }
  mkdirSync(path('views/inner'))
  writeFileSync(path('views/inner/page.html'), '1')
  expect(await next()).toEqual(['views/inner/page.html'])
  mkdirSync(path('later/deep'), { recursive: true })
  writeFileSync(path('later/deep/c.js'), '1')
  expect(await next()).toEqual(['later/deep/c.js'])
  // Another folder in the place of the first one.
  renameSync(path('views'), path('old'))
  mkdirSync(path('views/inner'), { recursive: true })
  writeFileSync(path('views/inner/page.html'), '2')
  while (!(await next())?.includes('views/inner/page.html'));
  writeFileSync(path('views/inner/page.html'), '3')
  expect(await next()).toEqual(['views/inner/page.html'])
  expect(calls).toEqual([])
})

it('new source files count only after a failed start', async () => {
  const { path, watch, next } = watchFolder()
  writeFileSync(path('early.js'), '1')
  writeFileSync(path('a.js'), '1')
  expect(await next()).toEqual(['a.js'])
  watch.seesNewFiles = true
  for (const name of ['page.html', '.x.js', 'b.mts']) writeFileSync(path(name), '1')
  expect(await next()).toEqual(['b.mts'])
  watch.seesNewFiles = false
  writeFileSync(path('c.js'), '1')
  writeFileSync(path('b.mts'), '2')
  expect(await next()).toEqual(['b.mts'])
})

it('a file that is younger than the process that read it counts as changed', async () => {
  const { path, watch, next, calls } = watchFolder()
  const now = Date.now() / 1000
  utimesSync(path('b.js'), now - 100, now - 100)
  watch.add(path('b.js'), (now - 99) * 1000)
  writeFileSync(path('c.js'), '1')
  watch.add(path('c.js'), (now - 99) * 1000)
  expect(await next()).toEqual(['c.js'])
  expect(calls).toEqual([])
})

it('a closed watch reports nothing', async () => {
  const { path, watch, calls } = watchFolder()
  const other = new FileWatch(
    () => void calls.push(['other']),
    () => {},
  )
  onTestFinished(() => other.close())
  other.add(path('a.js'))
  watch.close()
  for (const name of ['a.js', 'b.js']) writeFileSync(path(name), '1')
  await until(() => calls.length > 0)
  expect(calls).toEqual([['other']])
})

it('a folder that the system cannot watch is reported', () => {
  const { path, watch, errors } = watchFolder()
  const spy = vi.spyOn(fs, 'watch').mockImplementation(() => {
    throw Object.assign(new Error('no space'), { code: 'ENOSPC' })
  })
  syncBuiltinESMExports()
  onTestFinished(() => {
    spy.mockRestore()
    syncBuiltinESMExports()
  })
  mkdirSync(path('sub'))
  watch.add(path('sub/a.js'))
  expect(errors).toMatchObject([{ message: 'no space' }])
})
