import { mkdirSync, mkdtempSync, realpathSync, rmSync, utimesSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { expect, it, onTestFinished, vi } from 'vitest'
import type { DevOptions } from '../../../src/cli/dev/dev-options.js'
import { runDev } from '../../../src/cli/dev/run-dev.js'
import { until } from '../../integrations/until.js'
import { turns } from '../../journeys/turns.js'
import { type PlayedChild, playChildren } from '../played-children.js'

const SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const

/** Runs `blazon dev` in this process for an application of one file. The test plays the application's processes. */
async function develop(more: Partial<DevOptions> = {}) {
  const cwd = realpathSync(mkdtempSync(join(tmpdir(), 'blazon-dev-')))
  const children = playChildren()
  const lines: string[] = []
  const path = (name: string) => join(cwd, name)
  let saves = 0
  /** Saves a file with new content, and waits until the command has noticed it. */
  const save = async (name = 'main.js') => {
    const before = lines.length
    saves += 1
    writeFileSync(path(name), `// ${saves}`)
    await until(() => lines.slice(before).some((line) => line.endsWith(`${name} changed`)))
  }
  writeFileSync(path('main.js'), '')
  const before = new Map(SIGNALS.map((name) => [name, process.listeners(name)]))
  const added = (name: (typeof SIGNALS)[number]) =>
    process.listeners(name).filter((each) => before.get(name)?.includes(each) === false)
  const signal = (name: (typeof SIGNALS)[number]) => {
    for (const listener of added(name)) listener(name)
  }
  const note = (line: string) => void lines.push(line)
  const options = { cwd, entry: 'main.js', dashboard: false, args: [], ...more }
  const ended = runDev(options, { out() {}, err() {}, note })
  onTestFinished(async () => {
    vi.useRealTimers()
    for (const child of children) child.exit(0)
    signal('SIGINT')
    await ended
    for (const name of SIGNALS) for (const each of added(name)) process.off(name, each)
    rmSync(cwd, { recursive: true })
  })
  const child = (index: number) => children[index] as PlayedChild
  await until(() => children.length > 0)
  return { children, child, lines, path, save, signal, ended }
}

/** Plays an application that listens on a port. */
async function listen(child: PlayedChild, port = 4000): Promise<void> {
  child.say({ kind: 'listen' })
  await turns(5)
  child.say({ kind: 'listening', id: 1, port })
}

const kinds = ({ received }: PlayedChild) => received.map((each) => (each as { kind: string }).kind)

it('a process listens only after the process before it has ended, and on the same port', async () => {
  const { child, children, lines, save } = await develop({ port: 3000 })
  child(0).say({ kind: 'listen' })
  await turns(5)
  expect(child(0).received).toEqual([{ kind: 'go', first: 3000, last: {} }])
  child(0).say({ kind: 'listening', id: 1, port: 3000 })
  child(0).say({ kind: 'listening', id: 2, port: 4321 })
  expect(lines.filter((line) => line.includes('ready in'))).toHaveLength(1)
  await save()
  expect([children.length, child(0).signals]).toEqual([2, []])
  child(1).say({ kind: 'listen' })
  await turns(5)
  expect([child(0).signals, kinds(child(1))]).toEqual([['SIGTERM'], []])
  child(0).exit(0)
  await turns(5)
  expect(child(1).received).toEqual([{ kind: 'go', first: 3000, last: { 1: 3000, 2: 4321 } }])
  expect(lines.at(-1)).toBe('blazon dev: main.js changed')
})

it('several saves in a short time leave one starting process', async () => {
  const { child, children, save } = await develop()
  await listen(child(0))
  await save()
  await save()
  await turns(5)
  expect(children).toHaveLength(3)
  expect(child(1).signals).toContain('group SIGKILL')
  // The process that is killed says nothing any more, and the other one has not been asked to end.
  expect(child(0).signals).toEqual([])
  await listen(child(2))
  expect(child(0).signals).toEqual(['SIGTERM'])
})

it('a save while a starting process is being killed starts only one process', async () => {
  const { child, children, save } = await develop()
  await listen(child(0))
  await save()
  // It does not end at once: the kill waits for its end.
  const slow = child(1)
  const exit = slow.exit.bind(slow)
  slow.exit = () => {}
  await save()
  await save()
  expect(children).toHaveLength(3)
  exit(null, 'SIGKILL')
  await turns()
  expect(children).toHaveLength(3)
  expect(child(2).signals).toEqual([])
})

it('a process that fails to start leaves the process before it running, and new files count', async () => {
  const { child, children, lines, path, save } = await develop()
  await listen(child(0))
  await save()
  child(1).exit(3)
  expect(lines.at(-1)).toBe(
    'blazon dev: The application did not start: its process ended with status 3. The last process that started is still running. It restarts when a file is saved.',
  )
  expect(child(0).signals).toEqual([])
  await save('missing.js')
  expect(children).toHaveLength(3)
  await listen(child(2))
  child(0).exit(0)
  await turns(5)
  expect(kinds(child(2))).toEqual(['go'])
  writeFileSync(path('other.js'), '')
  await save()
})

it('a process that ends is reported with how it ended, and the next save starts another one', async () => {
  const { child, children, lines, save } = await develop()
  await listen(child(0))
  child(0).exit(null, 'SIGSEGV')
  expect(lines.at(-1)).toBe(
    'blazon dev: The application ended: its process ended by SIGSEGV. It restarts when a file is saved.',
  )
  await save()
  child(1).pid = undefined
  child(1).emit('error', new Error('no memory'))
  expect(lines.at(-1)).toBe(
    'blazon dev: The application did not start: its process ended : no memory. It restarts when a file is saved.',
  )
  await save()
  expect(children).toHaveLength(3)
})

it('a process that does not end within two seconds is killed, and the next one listens', async () => {
  const { child, save } = await develop()
  await listen(child(0))
  await save()
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
  child(1).say({ kind: 'listen' })
  await turns(5)
  await vi.advanceTimersByTimeAsync(1999)
  expect([child(0).signals, kinds(child(1))]).toEqual([['SIGTERM'], []])
  await vi.advanceTimersByTimeAsync(1)
  await turns(5)
  expect(child(0).signals.slice(0, 2)).toEqual(['SIGTERM', 'group SIGKILL'])
  expect(kinds(child(1))).toEqual(['go'])
})

it('with a debugger, the running process ends before the next one starts', async () => {
  const { child, children, save } = await develop({ inspect: '9230' })
  expect(child(0).args).toContain('--inspect=9230')
  await listen(child(0))
  await save()
  expect([children.length, child(0).signals]).toEqual([1, ['SIGTERM']])
  child(0).exit(0)
  await turns(5)
  expect(children).toHaveLength(2)
})

it('files that the application loads cause a restart, but not files of packages', async () => {
  const { child, children, path, save } = await develop()
  mkdirSync(path('node_modules/own'), { recursive: true })
  const names = ['lib.js', 'node_modules/own/index.js', 'young.js']
  for (const name of names) {
    writeFileSync(path(name), '')
    utimesSync(path(name), 1, 1)
  }
  mkdirSync(path('views'))
  const urls = names.slice(0, 2).map((name) => pathToFileURL(path(name)).href)
  child(0).say({ kind: 'files', urls: [`${urls[0]}?v=1`, urls[1], 'node:fs'] })
  child(0).say({ kind: 'folder', path: path('views') })
  writeFileSync(path('node_modules/own/index.js'), '// changed')
  await save('lib.js')
  await save('views/page.html')
  await turns(5)
  expect(children).toHaveLength(3)
  // The process may have read the content before the last change.
  utimesSync(path('young.js'), Date.now() / 1000 + 60, Date.now() / 1000 + 60)
  child(2).say({ kind: 'files', urls: [pathToFileURL(path('young.js')).href] })
  await until(() => children.length > 3)
})

it('a message of a process that was replaced changes nothing', async () => {
  const { child, lines, save } = await develop()
  await save()
  await turns(5)
  await listen(child(1), 4001)
  const { length } = lines
  child(0).say({ kind: 'listening', id: 1, port: 4001 })
  child(0).exit(1)
  expect(lines).toHaveLength(length)
})

it('a signal ends the running process with SIGTERM, kills a starting one, and is awaited', async () => {
  const { child, children, save, signal, ended } = await develop()
  await listen(child(0))
  await save()
  signal('SIGTERM')
  await turns(5)
  expect([child(0).signals, child(1).signals[0]]).toEqual([['SIGTERM'], 'group SIGKILL'])
  let isOver = false
  void ended.then(() => {
    isOver = true
  })
  await turns(5)
  expect(isOver).toBe(false)
  child(0).exit(0)
  await ended
  expect(children).toHaveLength(2)
})

it('a second signal kills the running process', async () => {
  const { child, signal, ended } = await develop()
  await listen(child(0))
  signal('SIGINT')
  await turns(5)
  expect(child(0).signals).toEqual(['SIGTERM'])
  signal('SIGINT')
  await ended
  expect(child(0).signals).toContain('group SIGKILL')
})

it('no process starts after a signal, even if a starting process is just being replaced', async () => {
  const { child, children, lines, save, signal, ended } = await develop()
  const exit = child(0).exit.bind(child(0))
  child(0).exit = () => {}
  await save()
  signal('SIGTERM')
  await turns(5)
  exit(null, 'SIGKILL')
  await ended
  expect(children).toHaveLength(1)
  expect(lines.at(-1)).toBe('blazon dev: main.js changed')
})
