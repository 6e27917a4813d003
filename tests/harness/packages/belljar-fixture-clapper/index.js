module.exports = () => 'clap';
