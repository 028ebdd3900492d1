// What the plots show: each session's cost as a multiple of bare node's, a bar for each Node.
import { CANDIDATES } from '../../candidates.mjs'
import { CPU, candidatesOf, ratio } from './lanes.mjs'

const MULTIPLE =
  'CPU time of the server as a multiple of bare node:http that sends the same bytes; less is better.'

const PLOTS = {
  plain: { title: 'A plain request', subtitle: `GET /users/:id, enveloped.\n${MULTIPLE}` },
  full: {
    title: 'A request through the full stack',
    subtitle: `POST with a guard, a tenant, a validated body, helmet, CORS and a rate limit.\n${MULTIPLE}`,
  },
  middlewares: {
    title: 'The full stack behind ten Express middlewares',
    subtitle: `compression, morgan, cookie-parser, passport, serve-static, and five small ones.\n${MULTIPLE}`,
  },
}

/** Plots for `bench/peers/draw-bars.mjs`. */
export function plotsOf(nodes) {
  const majors = Object.keys(nodes)
  return Object.keys(PLOTS).flatMap((name) => {
    const sessions = majors.map((major) => nodes[major].sessions[name])
    if (sessions.includes(undefined)) return []
    return [{ name, ...PLOTS[name], unit: '×', ...bars(name, sessions, majors) }]
  })
}

function bars(name, sessions, majors) {
  const candidates = candidatesOf(sessions[0])
  const values = (session) =>
    candidates.map((candidate) => ratio(session, [`${candidate}/${name}`, `node/${name}`], CPU))
  const series = sessions.map((session, index) => ({
    name: `Node ${majors[index]}`,
    values: values(session),
  }))
  const order = candidates.map((_, index) => index)
  order.sort((a, b) => series[0].values[a] - series[0].values[b])
  return {
    categories: order.map((index) => CANDIDATES[candidates[index]].title),
    highlighted: CANDIDATES.blazon.title,
    series: series.map((each) => ({ ...each, values: order.map((index) => each.values[index]) })),
  }
}
