import {
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { onTestFinished } from 'vitest'
import { runCli } from '../../src/cli/run-cli.js'

/** Files by path. */
export type Files = Readonly<Record<string, string>>

/** The result of a run of `blazon add`. */
export interface Added {
  readonly status: number
  readonly stdout: string
  readonly stderr: string
}

/** A folder with files, in which `blazon add` runs in this process. It is removed when the test has ended. */
export class AddedTo {
  readonly folder: string

  constructor(files: Files) {
    this.folder = realpathSync(mkdtempSync(join(tmpdir(), 'blazon add é-')))
    onTestFinished(() => rmSync(this.folder, { recursive: true, force: true }))
    this.write({ 'package.json': '{"devDependencies":{"vitest":"^4"}}', ...files })
  }

  write(files: Files): void {
    for (const [name, text] of Object.entries(files)) {
      mkdirSync(dirname(join(this.folder, name)), { recursive: true })
      writeFileSync(join(this.folder, name), text)
    }
  }

  /** Runs `blazon add` with words: `add('controller orders --dir src/shop')`. */
  async add(words: string | readonly string[], folder = '.'): Promise<Added> {
    const args = typeof words === 'string' ? words.split(' ') : words
    let [stdout, stderr] = ['', '']
    const streams = {
      out(text: string) {
        stdout += text
      },
      err(text: string) {
        stderr += text
      },
      note(line: string) {
        stderr += `${line}\n`
      },
    }
    const status = await runCli(['add', ...args], { cwd: join(this.folder, folder), streams })
    return { status, stdout, stderr }
  }

  read(name: string): string {
    return readFileSync(join(this.folder, name), 'utf8')
  }

  /** All files with their texts. */
  files(): Files {
    return Object.fromEntries(
      readdirSync(this.folder, { recursive: true, encoding: 'utf8' })
        .filter((name) => statSync(join(this.folder, name)).isFile())
        .sort()
        .map((name) => [name.replaceAll('\\', '/'), this.read(name)]),
    )
  }
}
