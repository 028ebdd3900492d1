import { App, inject, Log } from 'blazon'
import { afterEach, describe, expect, it, vi } from 'vitest'
import { loggerOf } from '../../src/features/logs/logger-options.js'
import { captureStdout } from '../journeys/app/captured-stdout.js'

function linesOf(action: () => void): string[] {
  const lines: string[] = []
  vi.spyOn(process.stderr, 'write').mockImplementation((line) => {
    lines.push(String(line))
    return true
  })
  action()
  return lines
}

afterEach(() => vi.restoreAllMocks())

describe('loggerOf', () => {
  it('writes exactly one line to stderr for each call, whatever its content', () => {
    const cause = new Error('inner')
    const lines = linesOf(() => {
      const logger = loggerOf(undefined)
      logger.warn({ url: '/a\r\n\u001b[31mforged' }, 'first')
      logger.error({ err: new Error('outer', { cause }) }, 'second')
      logger.info({ routes: 2 }, 'third')
    })
    expect(lines).toHaveLength(3)
    expect(JSON.parse(lines[2] as string)).toMatchObject({ level: 'info', routes: 2 })
    const control = ['\r', '\n', '\u001b']
    for (const line of lines) {
      for (const character of control) expect(line.slice(0, -1)).not.toContain(character)
    }
    expect(JSON.parse(lines[0] as string)).toMatchObject({ level: 'warn', message: 'first' })
    const { err } = JSON.parse(lines[1] as string)
    expect(err).toMatchObject({ name: 'Error', message: 'outer', cause: { message: 'inner' } })
    expect(err.stack).toContain('logger-options.test')
  })

  it('also writes a line if JSON cannot represent a value', () => {
    const circular: { self?: unknown } = {}
    circular.self = circular
    const lines = linesOf(() => loggerOf(undefined).error({ circular, big: 1n }, 'odd'))
    expect(lines).toHaveLength(1)
    expect(lines[0]).toContain('odd')
  })

  it('returns a silent logger for `false`, and a passed logger itself', () => {
    expect(linesOf(() => loggerOf(false).error({}, 'x'))).toEqual([])
    const own = { info() {}, warn() {}, error() {} }
    expect(loggerOf(own)).toBe(own)
  })
})

describe('the queued lines of the built-in logger', () => {
  class Pool {
    readonly log = inject(Log)
    onInit() {
      if (isFailing) throw new Error('no')
    }
    onClose() {
      this.log.info({}, 'closed')
    }
  }
  let isFailing = false
  const options = { logger: { pretty: false }, providers: [Pool] } as const

  it('are written before close() resolves, and before a failed start rejects', async () => {
    const stdout = captureStdout()
    const messages = () => stdout.lines().map(({ message }) => message)
    isFailing = false
    const app = await App.create(options)
    await app.close()
    expect(messages()).toEqual(['closed'])
    isFailing = true
    await expect(App.create(options)).rejects.toThrow('no')
    expect(messages()).toEqual(['closed', 'closed'])
  })
})
