import { existsSync } from 'node:fs'
import { chromium } from 'playwright-core'
import type { TestProject } from 'vitest/node'

declare module 'vitest' {
  interface ProvidedContext {
    /** The endpoint of the browser of the run, or an empty text if Chromium is missing. */
    chromium: string
  }
}

const EXECUTABLE = process.env['CHROMIUM_PATH'] ?? '/usr/bin/chromium'
const ARGUMENTS = [
  '--disable-gpu',
  '--disable-quic',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
  // Chromium's sandbox needs a user of its own.
  ...(process.getuid?.() === 0 ? ['--no-sandbox'] : []),
]

/** Starts one browser for all files of a run, and returns a function that ends it. */
export default async function startChromium(
  project: TestProject,
): Promise<(() => Promise<void>) | undefined> {
  if (!existsSync(EXECUTABLE) && !process.env['CI']) {
    console.warn(
      `Skipped: there is no Chromium at ${EXECUTABLE}. CHROMIUM_PATH can name another path.`,
    )
    project.provide('chromium', '')
    return
  }
  const server = await chromium.launchServer({
    executablePath: EXECUTABLE,
    args: ARGUMENTS,
    // On a busy machine, the start takes longer than the default of half a minute.
    timeout: 180_000,
  })
  project.provide('chromium', server.wsEndpoint())
  return () => server.close()
}
