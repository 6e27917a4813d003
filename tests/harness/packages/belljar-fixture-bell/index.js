module.exports = () => 'ding ' + require('belljar-fixture-clapper')();
