import { App, Log } from 'blazon'
import { expect, it, onTestFinished, vi } from 'vitest'
import { captureStdout } from './captured-stdout.js'

/** Makes stdout a terminal, or not, until the test is over. */
function terminal(isTTY: boolean): void {
  const own = Object.getOwnPropertyDescriptor(process.stdout, 'isTTY')
  Object.defineProperty(process.stdout, 'isTTY', { value: isTTY, configurable: true })
  onTestFinished(() => {
    if (own === undefined) Reflect.deleteProperty(process.stdout, 'isTTY')
    else Object.defineProperty(process.stdout, 'isTTY', own)
  })
}

const COLORED = /^~90m[\d:.]{12}~0m ~33mWARN ~0m Careful\n$/
const PLAIN = /^[\d:.]{12} WARN {2}Careful\n$/
const JSON_LINE = /^\{"level":"warn","time":\d+,"message":"Careful"\}\n$/

it.each<[string, boolean, string, 'auto' | boolean | undefined, RegExp]>([
  ['colored text on a terminal', true, '', undefined, COLORED],
  ["colored text on a terminal for 'auto'", true, '', 'auto', COLORED],
  ['text without colors on a terminal with NO_COLOR', true, '1', undefined, PLAIN],
  ['JSON on a terminal for `false`', true, '', false, JSON_LINE],
  ['JSON elsewhere', false, '', undefined, JSON_LINE],
  ['text without colors elsewhere for `true`', false, '', true, PLAIN],
])('the built-in logger writes %s', async (_, isTTY, noColor, pretty, expected) => {
  vi.stubEnv('NO_COLOR', noColor)
  onTestFinished(() => void vi.unstubAllEnvs())
  terminal(isTTY)
  const { text } = captureStdout()
  const app = await App.create({
    logger: { level: 'warn', ...(pretty !== undefined && { pretty }) },
  })
  app.get(Log).info('Not written')
  app.get(Log).warn('Careful')
  await app.close()
  expect(text().replaceAll('\u001b[', '~')).toMatch(expected)
})
