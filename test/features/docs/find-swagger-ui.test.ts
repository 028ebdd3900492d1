import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { ConfigError } from 'blazon'
import { expect, it, onTestFinished, vi } from 'vitest'
import { findSwaggerUi } from '../../../src/features/docs/find-swagger-ui.js'

/** A working directory in which this version of Swagger UI is installed; none for `null`. */
function workWith(version: string | null): string {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), 'blazon-swagger-')))
  const cwd = vi.spyOn(process, 'cwd').mockReturnValue(folder)
  onTestFinished(() => {
    cwd.mockRestore()
    rmSync(folder, { recursive: true })
  })
  const place = join(folder, 'node_modules/swagger-ui-dist')
  if (version === null) return place
  mkdirSync(place, { recursive: true })
  writeFileSync(join(place, 'package.json'), JSON.stringify({ name: 'swagger-ui-dist', version }))
  writeFileSync(join(place, 'swagger-ui-bundle.js'), '')
  return place
}

it('Swagger UI is the one of the working directory, before the one of the framework', () => {
  expect(findSwaggerUi()).not.toBe(workWith(null))
  const place = workWith('5.32.0')
  expect([findSwaggerUi(), findSwaggerUi('5.32.0')]).toEqual([place, place])
})

it('Swagger UI is found beside the framework if the working directory has none', () => {
  workWith(null)
  expect(findSwaggerUi()).toMatch(/node_modules[/\\]swagger-ui-dist$/)
})

it('a version of Swagger UI is refused if it is too old for all documents, or for these', () => {
  workWith('4.19.1')
  expect(() => findSwaggerUi()).toThrow(ConfigError)
  workWith('5.31.9')
  expect(() => findSwaggerUi()).not.toThrow()
  expect(() => findSwaggerUi('5.32.0')).toThrow(/swagger[\s\S]*5\.31\.9[\s\S]*5\.32\.0/)
})
