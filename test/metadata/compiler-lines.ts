import { execFile } from 'node:child_process'
import { mkdirSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { type Dialect, FOLDER, pathsOfBuild, writeConfig } from '../docs/snippets.js'
import { root } from '../root.js'

/** A file of lines that are compiled together. */
export interface CompiledLines {
  readonly name: string
  readonly dialect: Dialect
  /** What all lines use. */
  readonly head: string
  readonly lines: readonly string[]
}

/** What the compiler prints for each line, without the path. */
export async function compileLines({
  name,
  dialect,
  head,
  lines,
}: CompiledLines): Promise<readonly (readonly string[])[]> {
  const config = writeConfig(`${name}-${dialect}`, dialect, pathsOfBuild('.d.ts'))
  const file = join(FOLDER, `${name}-${dialect}`, 'lines.ts')
  mkdirSync(dirname(file), { recursive: true })
  writeFileSync(file, `${head}${lines.join('\n')}\n`)
  const tsc = join(root, 'node_modules/typescript/bin/tsc')
  const text = await new Promise<string>((resolve) =>
    execFile(process.execPath, [tsc, '-p', config, '--pretty', 'false'], { cwd: root }, (_, out) =>
      resolve(out),
    ),
  )
  const first = head.split('\n').length
  const found: string[][] = lines.map(() => [])
  let of: string[] = []
  for (const line of text.split('\n').filter(Boolean)) {
    const [, number, message = line] = /lines\.ts\((\d+),\d+\): (.*)/.exec(line) ?? []
    if (number !== undefined) of = found[Number(number) - first] ?? []
    else if (!line.startsWith(' ')) throw new Error(line)
    of.push(message)
  }
  return found
}
