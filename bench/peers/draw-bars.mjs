// Plots as SVG without scripts, drawn on a card of their own, so that they can be read on light and on dark pages.
import * as echarts from 'echarts'

const WIDTH = 760
const FONT = 'system-ui, sans-serif'
const INK = '#1f2328'
const FAINT = '#59636e'
const LINE = '#d1d9e0'
/** A bar for each series; those of the highlighted category are warm. */
const COOL = ['#7d93ab', '#a3b4c6', '#c8d3de']
const WARM = ['#c2410c', '#ea6a2a', '#f6a06b']
const BAR_HEIGHT = 14
const HEAD_HEIGHT = 112
const FOOT_HEIGHT = 20

/**
 * Horizontal bars: a group for each category, from the top down, and in it a bar for each series.
 *
 * @param plot `title`, `subtitle`, `unit`, `categories`, the `highlighted` one, and `series` of `{ name, values }`.
 */
export function drawBars({ title, subtitle, unit, categories, highlighted, series }) {
  const groupHeight = series.length * BAR_HEIGHT + 13
  const height = HEAD_HEIGHT + categories.length * groupHeight + FOOT_HEIGHT
  const chart = echarts.init(null, null, { renderer: 'svg', ssr: true, width: WIDTH, height })
  chart.setOption({
    animation: false,
    textStyle: { fontFamily: FONT, color: INK },
    title: heading(title, subtitle),
    legend: {
      top: 80,
      left: 18,
      itemGap: 18,
      itemWidth: 12,
      itemHeight: 12,
      textStyle: { color: INK, fontSize: 13 },
    },
    grid: { top: HEAD_HEIGHT, bottom: FOOT_HEIGHT, left: 166, right: 70 },
    graphic: [card(height)],
    xAxis: { type: 'value', show: false },
    yAxis: categoryAxis(categories, highlighted),
    series: series.map((each, index) => barSeries(each, { index, unit, categories, highlighted })),
  })
  const svg = chart.renderToSVGString()
  chart.dispose()
  return asImage(svg, title)
}

/** Leaves out what a page would need to react to a mouse, and says what it is to who cannot see it. */
function asImage(svg, title) {
  const still = svg
    .replace(/<style[\s\S]*?<\/style>\n?/, '')
    .replace(/ (class|pointer-events|ecmeta_\w+)="[^"]*"/g, '')
  return `${still.replace('>', `><title>${title}</title>`)}\n`
}

function heading(text, subtext) {
  return {
    text,
    subtext,
    left: 18,
    top: 14,
    itemGap: 6,
    textStyle: { color: INK, fontSize: 18, fontWeight: 600 },
    subtextStyle: { color: FAINT, fontSize: 13, lineHeight: 18 },
  }
}

/** White under everything, whatever the page is. */
function card(height) {
  return {
    type: 'rect',
    z: -1,
    shape: { x: 0.5, y: 0.5, width: WIDTH - 1, height: height - 1, r: 10 },
    style: { fill: '#ffffff', stroke: LINE },
  }
}

function categoryAxis(categories, highlighted) {
  return {
    type: 'category',
    inverse: true,
    data: categories.map((value) => ({
      value,
      textStyle: value === highlighted ? { fontWeight: 700, color: INK } : { color: INK },
    })),
    axisLine: { lineStyle: { color: LINE } },
    axisTick: { show: false },
    axisLabel: { fontSize: 14, margin: 12 },
  }
}

function barSeries({ name, values }, { index, unit, categories, highlighted }) {
  return {
    name,
    type: 'bar',
    barWidth: BAR_HEIGHT - 2,
    barGap: '18%',
    // The legend takes the colour of the series, the bars their own.
    itemStyle: { color: COOL[index] },
    data: values.map((value, at) => ({
      value,
      itemStyle: {
        color: (categories[at] === highlighted ? WARM : COOL)[index],
        borderRadius: [0, 2, 2, 0],
      },
    })),
    label: {
      show: true,
      position: 'right',
      color: INK,
      fontSize: 11,
      formatter: ({ value }) => `${value < 10 ? value.toFixed(2) : value.toFixed(1)}${unit}`,
    },
  }
}
