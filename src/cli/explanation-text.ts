import type { RouteExplanation } from '../app/explain/explanation.js'
import { alignRows, rowOf } from './route-rows.js'

/** Writes the explanation of a route for people. */
export function explanationText(route: RouteExplanation): string {
  const { before, steps, decorators } = route
  const sections = [
    [rowOf(route).join('  ')],
    titled(
      'Before the route',
      before.map(({ name, from }) => [name, from]),
    ),
    titled(
      'Steps',
      steps.flatMap(({ name, does, isCertain, sources }) => [
        [name, isCertain ? does : `possibly: ${does}`],
        ...sources.map((source) => ['', `- ${source}`]),
      ]),
    ),
    titled(
      'Decorators',
      decorators.map(({ name, on, at }) => [at ? `${at.file}:${at.line}` : 'unknown', name, on]),
    ),
  ]
  const shown = sections.filter((lines) => lines.length > 0)
  return `${shown.map((lines) => lines.join('\n')).join('\n\n')}\n`
}

function titled(title: string, rows: readonly string[][]): string[] {
  return rows.length === 0 ? [] : [title, ...alignRows(rows).map((line) => `  ${line}`)]
}
