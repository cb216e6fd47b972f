module.exports = function renderFile(path, options) {
  return path
}
