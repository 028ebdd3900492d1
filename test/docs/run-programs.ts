import { startPgliteFromTemplate } from '../pglite-template.js'

/**
 * Run as a process: imports the programs that it is given, one after the other, and writes a line of JSON for each, with all
 * that the program wrote. One process for all of them loads the package once.
 */
type Write = typeof process.stdout.write

const write: Write = process.stdout.write.bind(process.stdout)
const errors: unknown[] = []
startPgliteFromTemplate()
process.on('uncaughtException', (error) => errors.push(error))

/** What keeps the process alive, beside what this process was started with. */
const open = () => process.getActiveResourcesInfo().filter((name) => name !== 'Immediate')
const atStart = open().length

/** A program is over when nothing of it keeps the process alive. */
async function end(): Promise<void> {
  do await new Promise((resolve) => setTimeout(resolve, 1))
  while (open().length > atStart)
}

async function outputOf(program: string): Promise<string> {
  let output = ''
  const note: Write = (chunk: string | Uint8Array, ...rest: unknown[]) => {
    output += typeof chunk === 'string' ? chunk : Buffer.from(chunk).toString()
    const done = rest.find((one) => typeof one === 'function')
    if (done !== undefined) process.nextTick(done as () => void)
    return true
  }
  process.stdout.write = note
  process.stderr.write = note
  await import(program).catch((error) => errors.push(error))
  await end()
  // The line of `listen` has a port and a time that differ in each run.
  output = output.replace(/^\{"level":"info","message":"Listening on .*\n/gm, '')
  for (const error of errors.splice(0)) output += `\n${(error as Error).stack ?? error}`
  return output
}

for (const program of process.argv.slice(2)) {
  write(`${JSON.stringify({ program, output: await outputOf(program) })}\n`)
}
process.exit()
