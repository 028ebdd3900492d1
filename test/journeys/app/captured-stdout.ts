import { closeSync, mkdtempSync, openSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { onTestFinished } from 'vitest'

/** Sends what the application writes to the descriptor of stdout into a file, until the test is over. */
export function captureStdout(): { text: () => string; lines: () => Record<string, unknown>[] } {
  const folder = mkdtempSync(join(tmpdir(), 'blazon-stdout-'))
  const file = join(folder, 'stdout')
  const fd = openSync(file, 'w')
  const own = Object.getOwnPropertyDescriptor(process.stdout, 'fd')
  Object.defineProperty(process.stdout, 'fd', { value: fd, configurable: true })
  onTestFinished(() => {
    if (own === undefined) Reflect.deleteProperty(process.stdout, 'fd')
    else Object.defineProperty(process.stdout, 'fd', own)
    closeSync(fd)
    rmSync(folder, { recursive: true })
  })
  const text = () => readFileSync(file, 'utf8')
  return {
    text,
    lines: () =>
      text()
        .split('\n')
        .filter((line) => line !== '')
        .map((line) => JSON.parse(line)),
  }
}
