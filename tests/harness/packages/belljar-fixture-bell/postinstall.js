require('fs').writeFileSync(__dirname + '/postinstall-ran', 'yes\n');
