import config from './jest.config.js'

const [[files, [compiler, { jsc }]]] = Object.entries(config.transform)
const legacy = { jsc: { ...jsc, transform: { legacyDecorator: true } } }

export default { ...config, transform: { [files]: [compiler, legacy] } }
