import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, it, onTestFinished, vi } from 'vitest'
import { AppProcess } from '../../../src/cli/dev/app-process.js'
import { KeptProcesses } from '../../../src/cli/dev/kept-processes.js'
import { turns } from '../../journeys/turns.js'
import { type PlayedChild, playChildren } from '../played-children.js'

function fakeTime(): void {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
  onTestFinished(() => void vi.useRealTimers())
}

describe('the process of an application', () => {
  function start() {
    const children = playChildren()
    const messages: unknown[] = []
    const options = { cwd: '/', dashboard: true, args: ['own'] }
    const app = new AppProcess({
      ...{ entry: '/main.js', options },
      receive: (_, message) => void messages.push(message),
      onEnd: (_, how) => void messages.push(how),
    })
    return { app, child: children[0] as PlayedChild, messages }
  }

  it('replies to each query by its number', async () => {
    const { app, child } = start()
    const act = { do: 'act', part: 0, action: 'retry', item: 'a' } as const
    const replies = [app.query({ do: 'list' }), app.query(act)]
    expect(child.received).toEqual([
      { kind: 'query', id: 1, query: { do: 'list' } },
      { kind: 'query', id: 2, query: act },
    ])
    for (const id of [7, 2, 1]) child.say({ kind: 'reply', id, reply: { value: `${id}` } })
    expect(await Promise.all(replies)).toEqual([{ value: '1' }, { value: '2' }])
  })

  it('does not respond if it takes ten seconds, or ends', async () => {
    const { app, child } = start()
    fakeTime()
    const late = app.query({ do: 'list' })
    let isOver = false
    void late.then(() => {
      isOver = true
    })
    await vi.advanceTimersByTimeAsync(9999)
    expect(isOver).toBe(false)
    await vi.advanceTimersByTimeAsync(1)
    expect(await late).toEqual({ message: 'The application does not respond.' })
    const lost = app.query({ do: 'list' })
    child.exit(1)
    expect(await lost).toEqual({ message: 'The application does not respond.' })
    expect(vi.getTimerCount()).toBe(0)
    app.send({ kind: 'query', id: 3, query: { do: 'list' } })
    expect(child.received).toHaveLength(2)
  })

  it('reports the modules that Node itself names, and ends only once', async () => {
    const { app, child, messages } = start()
    child.emit('message', { 'watch:import': ['file:///a.js'], 'watch:require': [null, '/b c.js'] })
    for (const other of [null, 'text']) child.emit('message', other)
    expect(messages).toEqual([
      { kind: 'files', urls: ['file:///a.js', 'file:///b%20c.js'] },
      ...Array(2).fill({ kind: 'files', urls: [] }),
    ])
    const ends = [app.end(1000), app.end(1), app.kill()]
    await Promise.all(ends)
    expect(child.signals.slice(0, 2)).toEqual(['SIGTERM', 'group SIGKILL'])
    expect(child.signals.filter((each) => each === 'SIGTERM')).toHaveLength(1)
    expect(messages).toHaveLength(3)
  })
})

describe('a process that outlives the application', () => {
  function keep() {
    const children = playChildren()
    const folder = mkdtempSync(join(tmpdir(), 'blazon-kept-'))
    onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
    const marker = join(folder, 'marker')
    writeFileSync(marker, '')
    const kept = new KeptProcesses(folder)
    const find = (argument = 'a') => kept.find({ module: 'file:///db.js', argument })
    const reply = { path: '/socket', marker }
    return { children, kept, find, reply, marker }
  }

  it('is started once for two callers at the same time, and once for each argument', async () => {
    const { children, find, reply } = keep()
    const results = [find(), find(), find('b')]
    await turns(2)
    expect(children.map(({ args }) => args)).toEqual([['a'], ['b']])
    for (const child of children) child.say(reply)
    expect(await Promise.all(results)).toEqual([reply, reply, reply])
    expect(await find()).toEqual(reply)
    expect(children).toHaveLength(2)
  })

  it('is started again if its folder was deleted, or if it has ended', async () => {
    const { children, find, reply, marker } = keep()
    const first = find()
    await turns(2)
    children[0]?.say(reply)
    await first
    rmSync(marker)
    const second = [find(), find()]
    await turns()
    expect([children[0]?.connected, children.length]).toEqual([false, 1])
    children[0]?.exit(0)
    await turns()
    expect(children).toHaveLength(2)
    writeFileSync(marker, '')
    children[1]?.say(reply)
    expect(await Promise.all(second)).toEqual([reply, reply])
    children[1]?.exit(1)
    const third = find()
    await turns()
    children[2]?.exit(1)
    expect(await third).toEqual({ message: 'The database process ended.' })
  })

  it('is asked to end with the command, and is killed after five seconds', async () => {
    const { children, kept, find } = keep()
    const first = find()
    await turns(2)
    fakeTime()
    const closed = kept.close()
    expect(children[0]?.connected).toBe(false)
    await vi.advanceTimersByTimeAsync(4999)
    expect(children[0]?.signals).toEqual([])
    await vi.advanceTimersByTimeAsync(1)
    await closed
    expect(children[0]?.signals).toEqual(['group SIGKILL'])
    expect(await first).toEqual({ message: 'The database process ended.' })
    expect(await find('b')).toEqual({ message: 'The command is ending.' })
    expect(children).toHaveLength(1)
  })
})
