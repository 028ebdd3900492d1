import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { ConfigError } from 'blazon'
import type { Problem } from 'blazon/plugin'
import { onTestFinished, vi } from 'vitest'

/** The problems of a reading that must fail. */
export async function problemsOf(read: () => unknown): Promise<readonly Problem[]> {
  return (await errorOf(read)).problems
}

/** The error of a reading that must fail. */
export async function errorOf(read: () => unknown): Promise<ConfigError> {
  try {
    await read()
  } catch (error) {
    if (error instanceof ConfigError) return error
    throw error
  }
  throw new Error('The variables are valid.')
}

/** A folder with files, removed after the test. */
export function folderWith(files: Readonly<Record<string, string>>): string {
  const folder = mkdtempSync(join(tmpdir(), 'blazon-env-'))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  for (const [name, text] of Object.entries(files)) writeFileSync(join(folder, name), text)
  return folder
}

/** Makes a folder with files the working directory of the test, outside of `NODE_ENV=test`. */
export function workIn(files: Readonly<Record<string, string>>): string {
  const folder = folderWith(files)
  const cwd = vi.spyOn(process, 'cwd').mockReturnValue(folder)
  vi.stubEnv('NODE_ENV', 'development')
  onTestFinished(() => {
    cwd.mockRestore()
    vi.unstubAllEnvs()
  })
  return folder
}
